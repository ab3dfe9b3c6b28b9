// What the system said, in words: `no space left on device (ENOSPC)`.

import { getSystemErrorMap } from 'node:util'

export const systemReason = ({ code, errno, message }: NodeJS.ErrnoException): string => {
  const [name, text] = (errno === undefined ? undefined : getSystemErrorMap().get(errno)) ?? []
  return name === undefined ? (code ?? message) : `${text} (${name})`
}
