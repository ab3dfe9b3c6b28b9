export { atOwnPath, holdDirectory, inOwnDirectory, isGuarded, openOwnFile, readOwnFile } from './own-files.js'
export { guardOutputsBelow } from './places.js'
