// Inputs of file tools, and the paths that they name: for rules of a policy, and for locks on written paths.

import { resolve } from 'node:path'
import { absolutePath, type Purpose, resolvePath } from '@plumb/sandbox'
import type { BuiltinContext } from '../builtin.js'

export interface PathInput {
  /** Relative to a root, or absolute and below one. */
  readonly path: string
  /** The name of a root; the first when left out. */
  readonly root?: string
}

export interface ChangeInput extends PathInput {
  /** Checksum of the file when it was read, in hex. */
  readonly expect_sha256?: string
}

/** Empty if no root has that name. */
export const namedPath = ({ path, root }: PathInput, { roots }: BuiltinContext): readonly string[] => {
  const directory = root === undefined ? [...roots.values()][0] : roots.get(root)
  return directory === undefined ? [] : [resolve(directory, path)]
}

/** Empty if the call will be refused anyway. */
export const writtenPath = ({ path, root }: PathInput, context: BuiltinContext, purpose: Purpose = 'write'): readonly string[] => {
  const resolved = resolvePath(path, purpose, context, root)
  return resolved.ok ? [absolutePath(resolved.value)] : []
}
