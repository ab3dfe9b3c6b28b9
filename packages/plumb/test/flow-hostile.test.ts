// long
// Programs in each of which a construct of the language could lose a label, and the same ones written rightly: what the check says of them.

import t from 'tap'
import { CONSTRUCTS } from './flow-hostile/constructs.js'
import { ERRORS } from './flow-hostile/errors.js'
import { FILES } from './flow-hostile/files.js'
import { MANY } from './flow-hostile/many.js'
import { NETWORK } from './flow-hostile/network.js'
import { PARAMS } from './flow-hostile/params.js'
import { PRELUDE } from './flow-hostile/row.js'
import { TYPES } from './flow-hostile/types.js'
import { readFlowProgram } from './flow-plan.js'

for (const [kind, rows] of Object.entries({ ...TYPES, ...CONSTRUCTS, ...ERRORS, ...FILES, ...MANY, ...NETWORK, ...PARAMS })) {
  t.test(kind, async (t) => {
    for (const [name, refused, text] of rows) {
      const { errors, refusals } = readFlowProgram('hostile.plumb', `${PRELUDE}${text}\n`)
      t.strictSame(
        errors.map(({ message }) => message),
        [],
        `${name}: the program is one`,
      )
      const found = [...new Set(refusals.map(({ code }) => code.replace('_flow', '')))].sort().join(' ')
      t.equal(found, refused, [name, ...refusals.map(({ message }) => message)].join('; '))
    }
  })
}
