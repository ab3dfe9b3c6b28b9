// Promise.withResolvers, which Node 20 does not have.

interface Deferred {
  readonly promise: Promise<void>
  resolve(): void
}

export const deferred = (): Deferred => {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}
