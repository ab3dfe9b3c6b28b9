// The last line of a program that was killed, or failed, without a line end: no one knows whether it is whole, as 12 may be the beginning of
// 1299.

import { type Fault, fault, preview } from '@plumb/wire'

const MAX_SHOWN = 80

export const cutFault = (buf: Buffer, start: number, end: number): Fault =>
  fault(
    'truncated_line',
    `the last line has no end, and its program did not end well: ${preview(buf.toString('utf8', start, end), MAX_SHOWN)}`,
  )
