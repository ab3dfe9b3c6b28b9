// The reporters by their names, as --reporter takes them.

import { jsonReporter } from './json.js'
import { junitReporter } from './junit.js'
import type { TestReporter } from './result.js'
import { tapReporter } from './tap.js'
import { textReporter } from './text.js'

const REPORTERS = { text: textReporter, tap: tapReporter, junit: junitReporter, json: jsonReporter } as const

export type ReporterName = keyof typeof REPORTERS

export const REPORTER_NAMES = Object.keys(REPORTERS) as readonly ReporterName[]

export const openReporter = (name: ReporterName): TestReporter => REPORTERS[name]()
