// A fast check whether a text has a type, unchanged, for tools that are called often: compiled once that pays.

import { compileCheck, Sink, type Stage, type Type, Verdict } from '@plumb/lang'
import type { JsonText } from '../json-text.js'

/** Compiling a check takes as long as so many slow checks. */
const USES_BEFORE = 20
/** White space around it or a line end within would have to be removed, and half a surrogate pair rewritten. */
const IS_ODD = /^\s|\s$|[\n\r\ud800-\udfff]/

// A check writes nothing that is read.
let sink: Sink | undefined

/** False may also mean unknown. */
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
