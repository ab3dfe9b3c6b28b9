// The files that a program is made of, which its tools leave as they are: those that built-in tools leave too.

import type { Session } from '../../call/call.js'
import { programFilesOf } from '../program-files/detect-changes.js'
import type { Sandbox } from './sandbox.js'

/** What is there of it, and what a tool names besides; nothing where nothing may be written. */
export const protectedProgramFiles = async (
  program: Pick<Session, 'files' | 'docroot'>,
  sandbox: Sandbox | undefined,
  named: readonly string[],
): Promise<readonly string[]> =>
  sandbox && sandbox.write.length > 0 ? [...(await programFilesOf(program)).list.existingBelow(sandbox.docroot), ...named] : []
