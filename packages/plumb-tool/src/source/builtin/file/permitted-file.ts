// Which files of a walk may be used: the permission stage has only checked the directory.

import { permit } from '@plumb/policy'
import { absolutePath, type ResolvedPath, whyKeptFromReaders } from '@plumb/sandbox'
import type { BuiltinContext } from '../builtin.js'

/** By the policy. Files that need approval are left out. */
export const isPermitted = (resolved: ResolvedPath, { call, tool }: BuiltinContext): boolean => {
  const authority = call.session.authority()
  if (authority.policy.length === 0) return true
  return permit({ tool, effects: ['fs.read'], paths: [absolutePath(resolved)] }, authority, Date.now()).kind === 'allow'
}

/** Permitted, and not a protected file such as a key. */
export const isReadable = (resolved: ResolvedPath, context: BuiltinContext): boolean =>
  whyKeptFromReaders(resolved) === undefined && isPermitted(resolved, context)
