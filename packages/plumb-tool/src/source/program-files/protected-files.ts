// What sandboxed tools must not change below what they may write: the same that built-in tools must not change.
//
// This is the one place where such paths come from. What a command line names in addition to the specs, as a policy, a record or a file that plumb
// will believe later, is added with `withAround(files, { paths, outputs })`, which also hands it on to the processes that it starts. A path that is
// a directory by then stands for all its contents; one of `paths` that does not exist cannot be made in a sandbox.

import { type KeptPaths, type Sandbox, toRealPath } from '@plumb/sandbox'
import type { Session } from '../../call/call.js'
import { programFilesOf } from './detect-changes.js'

/** As below, for a program whose sandbox is not known yet. */
export const keptPaths = async (program: Pick<Session, 'files' | 'docroot'>): Promise<KeptPaths> =>
  (await programFilesOf(program)).list.namesBelow(toRealPath(program.docroot))

/** The files of the program below the docroot, those that it would find there, and `named`; empty if the sandbox may write nothing. */
export const protectedProgramFiles = async (
  program: Pick<Session, 'files' | 'docroot'>,
  sandbox: Sandbox | undefined,
  named: readonly string[],
): Promise<KeptPaths> => {
  if (!sandbox || sandbox.write.length === 0) return { paths: [] }
  const kept = await keptPaths(program)
  return { ...kept, paths: [...kept.paths, ...named] }
}
