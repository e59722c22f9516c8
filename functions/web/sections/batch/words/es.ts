import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('es')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Convertir una carpeta',
  lead: 'Convierte todos los archivos de una carpeta y sus subcarpetas. El resultado es un ZIP con la misma estructura de carpetas.',
  drop: 'Soltar una carpeta en cualquier lugar de esta página',
  choose: 'Elegir una carpeta',
  steps: [
    'Elegir una carpeta. Sus archivos se muestran con sus subcarpetas.',
    'Elegir un formato para cada tipo de archivo y convertir todo.',
    'Los archivos fallidos se pueden reintentar por separado.',
    'Descargar todo en un ZIP que conserva la estructura de carpetas.',
  ],
  howTo: 'Cómo funciona',
  inFolders: (files, folders) =>
    `${plural(files, 'archivo', 'archivos')} en ${plural(folders, 'carpeta', 'carpetas')}`,
  tree: 'Carpetas',
  count: (done, total) => `${plural(done, 'convertido', 'convertidos')} de ${total}`,
  others: (count) =>
    plural(count, 'archivo más no está en una carpeta.', 'archivos más no están en una carpeta.'),
  toOthers: 'Mostrar todos los archivos',
}

export default words
