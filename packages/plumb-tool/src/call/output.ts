// Last stage: checks that the result has the output type, and cuts a long text.

import { resolve } from '@plumb/lang'
import { succeed } from '@plumb/wire'
import { cutText } from './cut-text.js'
import { fitOutput } from './fit.js'
import { note, plural } from './note.js'
import { quickCheck } from './quick-check.js'
import type { Tool, Wrap } from './tool.js'

/** `maxOutput` in characters, for tools whose result is a text. A text that the tool itself has cut is not cut again. */
export const withOutput =
  (maxOutput?: number): Wrap =>
  (tool) => {
    const isFine = quickCheck(tool.output)
    const run: Tool['run'] = async (input, call) => {
      const result = await tool.run(input, call)
      if (!result.ok) return result
      const fit = isFine(result.value) ? succeed({ json: result.value, repairs: [] }) : fitOutput(result.value, tool.output)
      if (!fit.ok) {
        note(call, 'output', 'does not fit')
        return fit
      }
      const { json, repairs } = fit.value
      call.record.repairs.push(...repairs)
      const fitted = repairs.length === 0 ? 'fits' : `fits after ${plural(repairs.length, 'repair')}`
      // A character takes at least one unit of the JSON text, and the quotes two.
      const mayBeLong = maxOutput !== undefined && json.length - 2 > maxOutput && !call.record.truncated
      if (!mayBeLong || resolve(tool.output).kind !== 'string') {
        note(call, 'output', fitted)
        return succeed(json)
      }
      const { text, cutBytes } = cutText(JSON.parse(json) as string, maxOutput)
      note(call, 'output', cutBytes === 0 ? fitted : `${fitted}, cut by ${plural(cutBytes, 'byte')}`)
      if (cutBytes === 0) return succeed(json)
      call.record.truncated = true
      return succeed(JSON.stringify(text))
    }
    return { ...tool, run }
  }
