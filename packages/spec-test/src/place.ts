// Positions in a spec, and files beside it.

import { dirname, join } from 'node:path'
import { positionOf, type Span, type TestPlan } from '@plumb/lang'
import type { SpecPosition } from './report/result.js'

export const positionIn = ({ source, start }: Span): SpecPosition => ({ file: source.path, ...positionOf(source, start) })

/** A file that a test names. */
export const besideTest = ({ span: { source } }: TestPlan, name: string): string => join(dirname(source.path), name)
