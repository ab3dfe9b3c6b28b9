// Vectors quantized to one signed byte a dimension: a quarter of the space of floats, with similarities within half a percent.

import { fail, type Result, succeed } from '@plumb/wire'

export type Vector = Int8Array

const MAX_DIMENSIONS = 16_384

/** Parses a reply in the format of OpenAI: `{ data: [{ index, embedding }] }`. */
export const readVectors = (reply: unknown, count: number, host: string): Result<readonly Vector[]> => {
  const { data } = (typeof reply === 'object' && reply !== null ? reply : {}) as { readonly data?: unknown }
  const vectors: (Vector | undefined)[] = Array.from({ length: count }, () => undefined)
  for (const [place, item] of (Array.isArray(data) ? data : []).entries()) {
    const { index = place, embedding } = (typeof item === 'object' && item !== null ? item : {}) as Readonly<Record<string, unknown>>
    if (Number.isInteger(index) && (index as number) < count && isNumbers(embedding)) vectors[index as number] = toVector(embedding)
  }
  const whole = vectors.filter((vector) => vector !== undefined)
  const isWhole = whole.length === count && whole.every(({ length }) => length === whole[0]?.length)
  return isWhole ? succeed(whole) : fail('bad_reply', `the embedding endpoint ${host} did not answer with one vector for each text`)
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_DIMENSIONS && value.every((each) => Number.isFinite(each))

const toVector = (numbers: readonly number[]): Vector => {
  const largest = numbers.reduce((most, each) => Math.max(most, Math.abs(each)), 0)
  return Int8Array.from(numbers, (each) => (largest === 0 ? 0 : Math.round((each / largest) * 127)))
}

/** Cosine similarity; 0 if the lengths differ. */
export const cosineSimilarity = (a: Vector, b: Vector): number => {
  if (a.length !== b.length) return 0
  let [dot, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number]
    dot += x * y
    aa += x * x
    bb += y * y
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb)
}
