// The offsets of kept entries, in columns of numbers: a record of a gigabyte may have a million entries, and an object for each would take
// five times the memory.

import type { EntryKey } from './entry.js'

export interface EntryPlace extends EntryKey {
  /** The number of the file, from 0, and the line in it without its end. */
  readonly file: number
  readonly offset: number
  readonly bytes: number
}

const FIRST_SIZE = 256
/** The file number of removed entries. */
const GONE = 0xffff_ffff

export class EntryTable {
  #count = 0
  #high = new Uint32Array(FIRST_SIZE)
  #low = new Uint32Array(FIRST_SIZE)
  #nth = new Float64Array(FIRST_SIZE)
  #place = new Uint32Array(FIRST_SIZE)
  #file = new Uint32Array(FIRST_SIZE)
  #offset = new Float64Array(FIRST_SIZE)
  #bytes = new Uint32Array(FIRST_SIZE)
  /** The previous entry of the same slot, and the last entry of each slot, counted from 1; 0: none. */
  #before = new Uint32Array(FIRST_SIZE)
  #slots = new Uint32Array(2 * FIRST_SIZE)
  readonly #places: string[] = []
  readonly #placeNumbers = new Map<string, number>()

  add({ hash, nth, place, file, offset, bytes }: EntryPlace): void {
    if (this.#count === this.#high.length) this.#grow()
    const i = this.#count++
    this.#high[i] = Number.parseInt(hash.slice(0, 8), 16)
    this.#low[i] = Number.parseInt(hash.slice(8, 16), 16)
    this.#nth[i] = nth
    this.#place[i] = this.#numberOf(place)
    this.#file[i] = file
    this.#offset[i] = offset
    this.#bytes[i] = bytes
    this.#link(i)
  }

  /** Entries whose first 16 digits are those of the hash, the last of the last file first. The entry itself has the whole hash. */
  of(hash: string): EntryPlace[] {
    return this.#find(hash, () => true)
  }

  /** The entries of this key, in the same order. */
  at({ hash, nth, place }: EntryKey): EntryPlace[] {
    const number = this.#placeNumbers.get(place)
    return this.#find(hash, (i) => this.#nth[i] === nth && this.#place[i] === number)
  }

  #find(hash: string, isWanted: (i: number) => boolean): EntryPlace[] {
    const [high, low] = [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8, 16), 16)]
    const found: EntryPlace[] = []
    for (let at = this.#slots[low & (this.#slots.length - 1)] as number; at > 0; at = this.#before[at - 1] as number) {
      const i = at - 1
      if (this.#high[i] !== high || this.#low[i] !== low || this.#file[i] === GONE || !isWanted(i)) continue
      found.push({ ...this.#entryAt(i), hash })
    }
    return found.sort((a, b) => b.file - a.file || b.offset - a.offset)
  }

  /** All entries, of whose hashes it has the first 16 digits. */
  *all(): Iterable<EntryPlace> {
    for (let i = 0; i < this.#count; i++) if (this.#file[i] !== GONE) yield this.#entryAt(i)
  }

  #entryAt(i: number): EntryPlace {
    const place = this.#places[this.#place[i] as number] as string
    const [nth, file, offset, bytes] = [this.#nth[i], this.#file[i], this.#offset[i], this.#bytes[i]] as [number, number, number, number]
    const digits = (word: number | undefined) => (word ?? 0).toString(16).padStart(8, '0')
    return { hash: digits(this.#high[i]) + digits(this.#low[i]), nth, place, file, offset, bytes }
  }

  removeFile(file: number): void {
    for (let i = 0; i < this.#count; i++) if (this.#file[i] === file) this.#file[i] = GONE
  }

  #numberOf(place: string): number {
    const known = this.#placeNumbers.get(place)
    if (known !== undefined) return known
    this.#placeNumbers.set(place, this.#places.length)
    return this.#places.push(place) - 1
  }

  #link(i: number): void {
    const slot = (this.#low[i] as number) & (this.#slots.length - 1)
    this.#before[i] = this.#slots[slot] as number
    this.#slots[slot] = i + 1
  }

  #grow(): void {
    const size = 2 * this.#high.length
    const [words, doubles] = [() => new Uint32Array(size), () => new Float64Array(size)]
    this.#high = filled(words(), this.#high)
    this.#low = filled(words(), this.#low)
    this.#place = filled(words(), this.#place)
    this.#file = filled(words(), this.#file)
    this.#bytes = filled(words(), this.#bytes)
    this.#nth = filled(doubles(), this.#nth)
    this.#offset = filled(doubles(), this.#offset)
    this.#before = new Uint32Array(size)
    this.#slots = new Uint32Array(2 * size)
    for (let i = 0; i < this.#count; i++) this.#link(i)
  }
}

const filled = <T extends Uint32Array | Float64Array>(fresh: T, old: T): T => {
  fresh.set(old)
  return fresh
}
