// The files of the running program that sandboxed tools must not change: the same that built-in tools must not change.

import type { Session } from '../../call/call.js'
import { programFilesOf } from '../program-files/detect-changes.js'
import type { Sandbox } from './sandbox.js'

/** Existing files of the program below the docroot, and `named`; empty if the sandbox may write nothing. */
export const protectedProgramFiles = async (
  program: Pick<Session, 'files' | 'docroot'>,
  sandbox: Sandbox | undefined,
  named: readonly string[],
): Promise<readonly string[]> =>
  sandbox && sandbox.write.length > 0 ? [...(await programFilesOf(program)).list.existingBelow(sandbox.docroot), ...named] : []
