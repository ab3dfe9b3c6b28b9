// Where something stands in a spec, for those who show it.

import { positionOf, type Span } from '@plumb/lang'
import type { Place } from './report/result.js'

export const placeOf = ({ source, start }: Span): Place => ({ file: source.path, ...positionOf(source, start) })
