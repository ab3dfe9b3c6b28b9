// The words of the structural morphisms, and which of them are total (plumbing(5), Totality).

import type { Structural } from './ast.js'

/** Those that stand alone, without arguments. */
export const PLAIN_MORPHISMS: ReadonlySet<string> = new Set<Structural['kind']>(['id', 'copy', 'merge', 'discard', 'empty', 'barrier'])

export const MORPHISMS: ReadonlySet<string> = new Set([...PLAIN_MORPHISMS, 'map', 'filter', 'project'])

/** They may give no result, or need more than one message: they cannot be lowered, and do not stand in the base category. */
export const NOT_TOTAL: ReadonlySet<string> = new Set(['filter', 'merge', 'barrier', 'project', 'empty'])
