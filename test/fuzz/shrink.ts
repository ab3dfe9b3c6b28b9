// An input that fails, with as much of it taken out as it can do without.

const MOST_TRIES = 600
const MOST_MS = 20_000

/** `fails` resolves to a word on how, or to undefined; what fails in another way does not count. */
export const shrink = async (input: Buffer, fails: (input: Buffer) => Promise<string | undefined>): Promise<Buffer> => {
  const how = await fails(input)
  if (how === undefined) return input
  const until = performance.now() + MOST_MS
  let small = input
  let tries = 0
  for (let size = Math.ceil(small.length / 2); size >= 1 && tries < MOST_TRIES; size = Math.floor(size / 2)) {
    for (let at = 0; at < small.length && tries < MOST_TRIES && performance.now() < until; tries++) {
      const smaller = Buffer.concat([small.subarray(0, at), small.subarray(at + size)])
      if ((await fails(smaller)) === how) small = smaller
      else at += size
    }
  }
  return small
}
