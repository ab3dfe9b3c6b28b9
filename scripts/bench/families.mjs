// All that is measured, in the order of the report.

import { agents } from './family/agents.mjs'
import { fanOut, manyAtOnce, memoryAtOnce } from './family/at-once.mjs'
import { bigLines } from './family/big-lines.mjs'
import { check } from './family/check.mjs'
import { control } from './family/control.mjs'
import { checkLines, editor } from './family/editor.mjs'
import { growth } from './family/growth.mjs'
import { install } from './family/install.mjs'
import { lines } from './family/lines.mjs'
import { messages } from './family/messages.mjs'
import { mux } from './family/mux.mjs'
import { recordMemory, records } from './family/records.mjs'
import { rest } from './family/rest.mjs'
import { start } from './family/start.mjs'
import { tests } from './family/tests.mjs'
import { firstToolCall, toolCalls } from './family/tool-calls.mjs'
import { tools } from './family/tools.mjs'
import { unread } from './family/unread.mjs'

export const FAMILIES = [
  start,
  lines,
  bigLines,
  messages,
  manyAtOnce,
  memoryAtOnce,
  fanOut,
  tools,
  firstToolCall,
  toolCalls,
  agents,
  mux,
  control,
  check,
  checkLines,
  editor,
  tests,
  records,
  recordMemory,
  install,
  rest,
  unread,
  growth,
]
