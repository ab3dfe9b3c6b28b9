/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator with the constants of Numerical Recipes). */
export const random = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The same things in random order. */
export const shuffle = (things, next) => {
  const left = [...things]
  return things.map(() => left.splice(Math.floor(next() * left.length), 1)[0])
}
