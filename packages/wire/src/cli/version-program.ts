// What an executable is when it is asked for its version alone: bin/NAME runs it instead of main, a twentieth of its size. The build gives it
// the name and the version.

import { versionAndPrices } from '../price/load.js'
import { endWith, runProgram } from './program.js'
import { writeStdout } from './write-stdout.js'

export const runVersion = (program: string, version: string): void => printed(program, `${version}\n`)

/** For an executable that knows prices. */
export const runVersionAndPrices = (program: string, version: string): void => printed(program, versionAndPrices(version))

const printed = (program: string, text: string): void => runProgram(program, async () => endWith(program, await writeStdout(text)))
