export { atOwnPath, holdDirectory, inOwnDirectory, isGuarded, openOwnFile } from './own-files.js'
export { guardOutputsBelow } from './places.js'
