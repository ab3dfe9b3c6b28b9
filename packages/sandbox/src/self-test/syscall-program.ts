// A minimal ELF program that makes one system call and exits with its errno, for calls that Node.js and sh cannot make.

import type { Arch } from '../seccomp/refused-calls.js'

const BASE = 0x400000
const HEADER_BYTES = 64
const SEGMENT_BYTES = 56
const ELF_X64 = 62
const ELF_ARM64 = 183

/** A Linux executable. Its exit status is 0 or the errno of the call. `args` are at most six integers. */
export const syscallProgram = (arch: Arch, number: number, args: readonly number[] = []): Uint8Array => {
  const code = arch === 'x64' ? codeX64(number, args) : codeArm64(number, args)
  const start = HEADER_BYTES + SEGMENT_BYTES
  const file = Buffer.alloc(start + code.length)
  // ELF header: 64 bits, little-endian, version 1, type executable.
  file.write('\x7fELF\x02\x01\x01', 0, 'latin1')
  file.writeUInt16LE(2, 16)
  file.writeUInt16LE(arch === 'x64' ? ELF_X64 : ELF_ARM64, 18)
  file.writeUInt32LE(1, 20)
  file.writeBigUInt64LE(BigInt(BASE + start), 24)
  file.writeBigUInt64LE(BigInt(HEADER_BYTES), 32)
  file.writeUInt16LE(HEADER_BYTES, 52)
  file.writeUInt16LE(SEGMENT_BYTES, 54)
  file.writeUInt16LE(1, 56)
  // One program header: the whole file, readable and executable.
  file.writeUInt32LE(1, HEADER_BYTES)
  file.writeUInt32LE(5, HEADER_BYTES + 4)
  file.writeBigUInt64LE(BigInt(BASE), HEADER_BYTES + 16)
  file.writeBigUInt64LE(BigInt(BASE), HEADER_BYTES + 24)
  file.writeBigUInt64LE(BigInt(file.length), HEADER_BYTES + 32)
  file.writeBigUInt64LE(BigInt(file.length), HEADER_BYTES + 40)
  file.writeBigUInt64LE(0x1000n, HEADER_BYTES + 48)
  code.copy(file, start)
  return file
}

const codeX64 = (number: number, args: readonly number[]): Buffer => {
  // mov rdi, rsi, rdx, r10, r8, r9
  const registers = ['48bf', '48be', '48ba', '49ba', '49b8', '49b9']
  const moves = args.map((value, i) => `${registers[i]}${littleEndian(value, 8)}`)
  // mov eax, number; syscall; test rax, rax; js +4; xor edi, edi; jmp +5; neg rax; mov edi, eax; mov eax, 60 (exit); syscall
  const call = `b8${littleEndian(number, 4)}0f05`
  return Buffer.from(`${moves.join('')}${call}4885c0780431ffeb0548f7d889c7b83c0000000f05`, 'hex')
}

const littleEndian = (value: number, bytes: number): string => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigInt64LE(BigInt(value))
  return buffer.toString('hex', 0, bytes)
}

const codeArm64 = (number: number, args: readonly number[]): Buffer => {
  const set = (register: number, value: number): number[] =>
    [0, 1, 2, 3].map((part) => {
      const bits = Number((BigInt.asUintN(64, BigInt(value)) >> BigInt(16 * part)) & 0xffffn)
      // movz for the lowest part, movk for the others
      return (part === 0 ? 0xd2800000 : 0xf2800000) + part * 0x200000 + bits * 0x20 + register
    })
  const call = 0xd4000001
  // neg x1, x0; cmp x0, 0; csel x0, x1, xzr, lt
  const words = [
    ...args.flatMap((value, i) => set(i, value)),
    ...set(8, number),
    call,
    0xcb0003e1,
    0xf100001f,
    0x9a9fb020,
    ...set(8, 93),
    call,
  ]
  const code = Buffer.alloc(4 * words.length)
  for (const [i, word] of words.entries()) code.writeUInt32LE(word >>> 0, 4 * i)
  return code
}
