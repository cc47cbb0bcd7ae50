/// Days of the Gregorian calendar.
enum CivilDate {
    /// Days since 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last day of a year.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month > 2 ? year : year - 1
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        let daysBefore1970 = 719_468 as Int64
        return shiftedYear * 365 + leapDays + (153 * shiftedMonth + 2) / 5 + day - 1 - daysBefore1970
    }
}
