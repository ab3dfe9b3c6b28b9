// Whether a text is of a type as it stands, for tools that are called again and again: the check is compiled once that pays.

import { compileCheck, Sink, type Stage, type Type, Verdict } from '@plumb/lang'
import type { JsonText } from '../json-text.js'

/** To compile one takes as long as to do without it so many times. */
const USES_BEFORE = 20
/** White space around it or a line end within would have to be taken out, half a surrogate pair to be written otherwise. */
const IS_ODD = /^\s|\s$|[\n\r\ud800-\udfff]/

// A check writes nothing that is read.
let sink: Sink | undefined

/** False also says that it is not known yet. */
export const quickCheck = (type: Type): ((json: JsonText) => boolean) => {
  let uses = 0
  let stage: Stage | undefined
  return (json) => {
    if (uses < USES_BEFORE) {
      uses++
      return false
    }
    if (IS_ODD.test(json)) return false
    stage ??= compileCheck(type)
    sink ??= new Sink()
    const bytes = Buffer.from(`${json}\n`)
    return stage.run(bytes, 0, bytes.length - 1, sink) === Verdict.PASS
  }
}
