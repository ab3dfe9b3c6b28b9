// failing: always an error, of the category that the spec names.

import { type Category, type Code, fail } from '@plumb/wire'
import type { Run } from '../combine/run.js'

/** The code that stands for each category. */
const CODES: Readonly<Record<Category, Code>> = {
  config: 'config_invalid',
  invalid: 'evaluation_failed',
  not_found: 'no_such_file',
  denied: 'permission_denied',
  internal: 'tool_crashed',
  unavailable: 'overloaded',
}

export const failingOf =
  (category: Category): Run =>
  async () =>
    fail(CODES[category], `this tool fails on purpose, as 'failing: "${category}"' says`)
