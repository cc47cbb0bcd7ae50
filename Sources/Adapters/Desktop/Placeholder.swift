internal import CGio  // what this folder alone imports
