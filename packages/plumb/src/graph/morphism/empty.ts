// empty: gives nothing and closes at once.

import { Morphism } from './morphism.js'

export class Empty extends Morphism {
  receive(): void {}
}
