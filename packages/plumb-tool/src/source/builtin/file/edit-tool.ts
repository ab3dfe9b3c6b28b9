// Tools that read a text file and write it back: if another process changed it meanwhile, the edit is repeated on its new content.

import { setTimeout as wait } from 'node:timers/promises'
import type { Json } from '@plumb/lang'
import type { Result } from '@plumb/wire'
import type { Builtin, BuiltinContext } from '../builtin.js'
import { type ChangeInput, namedPath, writtenPath } from './path-input.js'

const MAX_ATTEMPTS = 10
const STEP_MS = 4

/** `edit` reads and writes. It is repeated only if the input does not fix the old content by `expect_sha256`. */
export const editTool = <Input extends ChangeInput>(
  edit: (input: Input, context: BuiltinContext) => Promise<Result<Json>>,
): Builtin<Input> => ({
  paths: namedPath,
  writes: (input, context) => writtenPath(input, context),
  run: async (input, context) => {
    for (let tries = 1; ; tries++) {
      const result = await edit(input, context)
      const isBeaten = !result.ok && result.error.error === 'file_changed' && input.expect_sha256 === undefined
      if (!isBeaten || tries === MAX_ATTEMPTS) return result
      // Random, so that two processes do not collide again.
      await wait(Math.random() * STEP_MS * tries)
    }
  },
})
