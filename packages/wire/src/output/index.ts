export { atOwnPath, holdDirectory, inOwnDirectory, isGuarded, openOwnFile, readOwnFile, removeOwnFile } from './own-files.js'
export { guardOutputsBelow } from './places.js'
