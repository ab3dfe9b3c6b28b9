// First stage: checks the input against the input type and adds defaults, or reports everything that is wrong with it.

import { type Fit, resolve } from '@plumb/lang'
import type { Result } from '@plumb/wire'
import type { Call } from './call.js'
import { fitInput, fitToolInput } from './fit.js'
import { note, plural } from './note.js'
import { quickCheck } from './quick-check.js'
import type { Wrap } from './tool.js'

export const withValidation: Wrap = (tool) => {
  const isFine = quickCheck(tool.input)
  const isRecord = resolve(tool.input).kind === 'record'
  return {
    ...tool,
    run: (input, call) => {
      // Inside a composition a value is never wrapped; from outside, where types that are not records are shown wrapped, it may be.
      const mayBeWrapped = call.depth === 0 && !isRecord
      if (!(mayBeWrapped && input.startsWith('{')) && isFine(input)) {
        note(call, 'validate', 'fits')
        return tool.run(input, call)
      }
      const fit = mayBeWrapped ? fitToolInput(input, tool.input) : fitInput(input, tool.input)
      noteFit(call, fit)
      return fit.ok ? tool.run(fit.value.json, call) : Promise.resolve(fit)
    },
  }
}

export const noteFit = (call: Call, fit: Result<Fit>): void => {
  const repairs = fit.ok ? fit.value.repairs : []
  call.record.repairs.push(...repairs)
  note(call, 'validate', !fit.ok ? 'does not fit' : repairs.length === 0 ? 'fits' : `fits after ${plural(repairs.length, 'repair')}`)
}
