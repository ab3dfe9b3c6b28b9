// Loaded before a test file, so that its properties draw from the seed in PLUMB_SEED.
'use strict'
require('fast-check').configureGlobal({ seed: Number(process.env.PLUMB_SEED) })
