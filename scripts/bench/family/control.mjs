// How soon control is answered while as much data passes as will.

import { timeControl } from '../measure.mjs'

const ECHO = '#!/bin/sh\n# Control comes back, and so does data.\ncat <&6 >&7 &\ncat\n'

export const control = ({ isQuick, writeFixture, peer, once }) => {
  const seconds = isQuick ? 1 : 2
  const echo = writeFixture('echo.sh', ECHO)
  const program = (key, command, env) =>
    once(`control: ${key}`, () => ({ measure: () => timeControl(command, { env, seconds, load: peer('mux-load.cjs') }) }))
  return {
    name: 'control',
    about: `Control messages among data that never pauses, ${seconds} s: how long one takes to come back.`,
    unit: 'µs',
    rounds: isQuick ? 2 : 5,
    cases: [
      {
        name: 'plumb-mux',
        about: 'through a command that echoes both',
        ours: (checkout) => program(checkout.label, [checkout.bin('plumb-mux'), '--', 'sh', echo], checkout.env),
        peers: (checkout) => ({ 'cat, in one queue with the data': program('cat', ['cat'], checkout.env) }),
      },
    ],
  }
}
