// mock: always the same value, whatever it is asked.

import type { Json } from '@plumb/lang'
import { succeed } from '@plumb/wire'
import type { Run } from '../combine/run.js'

export const mockOf = (value: Json): Run => {
  const text = JSON.stringify(value)
  return async () => succeed(text)
}
