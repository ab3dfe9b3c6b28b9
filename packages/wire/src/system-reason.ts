// The message of a system error: `no space left on device (ENOSPC)`.

import { constants } from 'node:os'
import { getSystemErrorMap } from 'node:util'

export const systemReason = ({ code = '', errno, message }: Partial<NodeJS.ErrnoException>): string => {
  // By the code if there is a system code: rmSync of Node 24 gives its number without the sign.
  const numbers: Readonly<Record<string, number>> = constants.errno
  const number = Object.hasOwn(numbers, code) ? -(numbers[code] as number) : errno
  const [name, text] = (number === undefined ? undefined : getSystemErrorMap().get(number)) ?? []
  if (name !== undefined) return `${text} (${name})`
  return code !== '' ? code : (message ?? '')
}
