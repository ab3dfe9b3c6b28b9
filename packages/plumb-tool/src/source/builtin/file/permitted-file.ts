// Which of the files that a walk finds may be used: the stage of permission has judged no more than the folder.

import { basename } from 'node:path'
import { permit } from '@plumb/policy'
import { whyNotReadable } from '../../path/protected-paths.js'
import { absolutePath, type ResolvedPath } from '../../path/resolved-path.js'
import type { BuiltinContext } from '../builtin.js'

/** By the policy. What a person would have to be asked about is left out. */
export const isPermitted = (resolved: ResolvedPath, { call, tool }: BuiltinContext): boolean => {
  const authority = call.session.authority()
  if (authority.policy.length === 0) return true
  return permit({ tool, effects: ['fs.read'], paths: [absolutePath(resolved)] }, authority, Date.now()).kind === 'allow'
}

/** Nor is it kept from readers, as a key is. */
export const isReadable = (resolved: ResolvedPath, context: BuiltinContext): boolean =>
  whyNotReadable(resolved.shown.split('/'), basename(resolved.root)) === undefined && isPermitted(resolved, context)
