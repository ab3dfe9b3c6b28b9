import { createHash } from 'node:crypto'

/** The first of 64 hexadecimal digits. */
export const sha256Of = (data: string | Uint8Array, digits = 64): string => createHash('sha256').update(data).digest('hex').slice(0, digits)
