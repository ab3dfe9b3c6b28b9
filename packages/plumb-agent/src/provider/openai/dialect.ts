// The schemas that OpenAI's APIs enforce (platform.openai.com, Structured model outputs).

import type { Dialect } from '../output-schema.js'

export const DIALECT: Dialect = {
  isAllRequired: true,
  isRecursive: true,
  limits: ['minimum', 'maximum', 'minItems', 'maxItems'],
  maxOptional: 0,
  maxUnions: 1_000,
  maxStrictTools: Number.POSITIVE_INFINITY,
  takesLoose: true,
}
