// All that is measured, in the order of the report.

import { agents } from './family/agents.mjs'
import { fanOut, manyAtOnce } from './family/at-once.mjs'
import { bigLines } from './family/big-lines.mjs'
import { check } from './family/check.mjs'
import { control } from './family/control.mjs'
import { growth } from './family/growth.mjs'
import { lines } from './family/lines.mjs'
import { messages } from './family/messages.mjs'
import { mux } from './family/mux.mjs'
import { rest } from './family/rest.mjs'
import { start } from './family/start.mjs'
import { tests } from './family/tests.mjs'
import { tools } from './family/tools.mjs'
import { unread } from './family/unread.mjs'

export const FAMILIES = [
  start,
  lines,
  bigLines,
  messages,
  manyAtOnce,
  fanOut,
  tools,
  agents,
  mux,
  control,
  check,
  tests,
  rest,
  unread,
  growth,
]
