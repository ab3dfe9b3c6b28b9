import { findShared } from './disjoint.js'
import type { Type } from './type.js'

/**
 * JSON text of a smallest value of a type, without what may be absent; undefined when no value
 * of it ends (`type T = { next: T }`). See findShared for long ones.
 */
export const smallestValue = (type: Type): string | undefined => findShared(type, type)
