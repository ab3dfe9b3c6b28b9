// The system prompt, with the output's schema where no structured output will keep the model to it.

import { resolve, toSchema } from '@plumb/lang'
import type { Question } from './provider.js'

export const systemText = ({ system, output }: Question, isSchemaTold: boolean): string => {
  if (!isSchemaTold || resolve(output).kind === 'string') return system
  const told = `Your final answer is nothing but one JSON value that fits this JSON Schema, with no code fence and no words around it:\n${JSON.stringify(toSchema(output))}`
  return system === '' ? told : `${system}\n\n${told}`
}
