// The reporters by their names, as --reporter takes them.

import { jsonReporter } from './json.js'
import { junitReporter } from './junit.js'
import type { ReporterName, TestReporter } from './result.js'
import { tapReporter } from './tap.js'
import { textReporter } from './text.js'

const REPORTERS: Readonly<Record<ReporterName, () => TestReporter>> = {
  text: textReporter,
  tap: tapReporter,
  junit: junitReporter,
  json: jsonReporter,
}

export const openReporter = (name: ReporterName): TestReporter => REPORTERS[name]()
