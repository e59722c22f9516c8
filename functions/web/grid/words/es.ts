import { pluralIn } from '../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('es')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Páginas',
  pages: (count) => plural(count, 'página', 'páginas'),
  selected: (count, of) => `${plural(count, 'seleccionada', 'seleccionadas')} de ${of}`,
  page: (page) => `Página ${page}`,
  rotatedBy: (degrees) => `girada ${degrees}°`,
  isRemoved: 'eliminada',
  isSplitAfter: 'división después de esta página',
  selectAll: 'Seleccionar todo',
  selectNone: 'No seleccionar nada',
  rotateLeft: 'Girar a la izquierda',
  rotateRight: 'Girar a la derecha',
  moveBack: 'Mover a la izquierda',
  moveForward: 'Mover a la derecha',
  remove: 'Eliminar',
  restore: 'Restaurar',
  split: 'Dividir después',
  unsplit: 'No dividir después',
  splitEvery: 'Dividir cada … páginas',
  splitNow: 'Dividir',
  reset: 'Restablecer',
  size: 'Tamaño de las miniaturas',
  range: 'Páginas seleccionadas',
  rangeHint: 'Por ejemplo, 1-5, 10, 15-last. Vacío: todas las páginas.',
  actions: 'Acciones para las páginas seleccionadas',
  keys: {
    always:
      'Las flechas pasan de una página a otra, Espacio selecciona, Mayús con las flechas amplía la selección, Ctrl+A selecciona todo.',
    move: 'Alt con las flechas mueve páginas.',
    rotate: 'R gira a la derecha, L a la izquierda.',
    remove: 'Supr elimina o restaura.',
    split: 'S divide después de la página.',
  },
  movedTo: (page, at, of) => `Página ${page} movida a la posición ${at} de ${of}`,
  rotatedTo: (count, page, degrees) =>
    count === 1 ? `Página ${page} girada ${degrees}°` : plural(count, 'página girada', 'páginas giradas'),
  removedNow: (count) => plural(count, 'página eliminada', 'páginas eliminadas'),
  restoredNow: (count) => plural(count, 'página restaurada', 'páginas restauradas'),
  files: (count) => plural(count, 'archivo', 'archivos'),
  opening: 'Abriendo el PDF…',
  locked: 'Este PDF está protegido. Introduzca su contraseña.',
  wrongPassword: 'Contraseña incorrecta. Inténtelo de nuevo.',
  password: 'Contraseña',
  open: 'Abrir',
  tooLarge: 'Este PDF es demasiado grande para verlo en el navegador.',
  unreadable: 'Este PDF no se puede ver en el navegador.',
  drawOnServer: 'Mostrar las páginas desde el servidor',
  drawOnServerHint: 'Antes se subirá el archivo.',
  sending: 'Subiendo…',
  drawing: 'Creando vistas previas…',
  noPreview: 'Sin vista previa',
  tooMany: (max) =>
    `Este PDF tiene más de ${max} páginas, demasiadas para mostrarlas. Introduzca los números de página abajo.`,
}

export default words
