import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Atajos de teclado',
  keys: {
    a: 'Añadir archivos',
    c: 'Convertir todo lo que está listo',
    d: 'Descargar',
    n: 'Ir al siguiente problema',
    u: 'Deshacer la eliminación de un archivo',
    '?': 'Mostrar esta lista',
  },
  areOn: 'Usar atajos de una sola tecla',
  close: 'Cerrar',
}

export default words
