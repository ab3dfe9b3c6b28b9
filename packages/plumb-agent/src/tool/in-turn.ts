// Many pieces of work, so many at once, their results in order.

export const inTurn = async <T, R>(items: readonly T[], width: number, work: (item: T, place: number) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  let next = 0
  const take = async (): Promise<void> => {
    for (let place = next++; place < items.length; place = next++) results[place] = await work(items[place] as T, place)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, take))
  return results
}
