// Positions in a spec, and files beside it.

import { dirname, join } from 'node:path'
import { positionOf, type Span, type TestPlan } from '@plumb/lang'
import type { Place } from './report/result.js'

export const placeOf = ({ source, start }: Span): Place => ({ file: source.path, ...positionOf(source, start) })

/** A file that a test names. */
export const besideTest = ({ span: { source } }: TestPlan, name: string): string => join(dirname(source.path), name)
