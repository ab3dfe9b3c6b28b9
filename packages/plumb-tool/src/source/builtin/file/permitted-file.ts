// Which of the files that a walk finds may be used: the stage of permission has judged no more than the folder.

import { basename } from 'node:path'
import { permit } from '../../../call/permit.js'
import { keptFromReaders } from '../../path/protected-paths.js'
import { type Place, pathOf } from '../../path/resolved-path.js'
import type { BuiltinContext } from '../builtin.js'

/** By the policy. What a person would have to be asked about is left out. */
export const isPermitted = (place: Place, { call, tool }: BuiltinContext): boolean => {
  const authority = call.session.authority()
  if (authority.policy.length === 0) return true
  return permit({ tool, effects: ['fs.read'], paths: [pathOf(place)] }, authority, Date.now()).kind === 'allow'
}

/** Nor is it kept from readers, as a key is. */
export const isReadable = (place: Place, context: BuiltinContext): boolean =>
  keptFromReaders(place.shown.split('/'), basename(place.root)) === undefined && isPermitted(place, context)
