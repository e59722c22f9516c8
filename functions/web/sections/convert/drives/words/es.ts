import { pluralIn } from '../../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('es')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  names: { 'google-drive': 'Google Drive', dropbox: 'Dropbox', onedrive: 'OneDrive' },
  from: (name) => `Desde ${name}`,
  title: (name) => `Archivos de ${name}`,
  close: 'Cerrar',
  connect: 'Conectar',
  notConnected: 'Este almacenamiento no está conectado.',
  refused: 'El almacenamiento no se conectó porque se denegó el acceso.',
  search: 'Buscar por nombre',
  find: 'Buscar',
  back: 'Atrás',
  files: 'Archivos',
  nothing: 'Esta carpeta está vacía.',
  more: 'Cargar más',
  addFiles: (count) => `Añadir ${plural(count, 'archivo', 'archivos')}`,
  busy: 'Un momento…',
  disconnect: 'Desconectar',
  importFailed: 'No se pudieron importar los archivos del almacenamiento.',
  saveTo: (name) => `Guardar en ${name}`,
  saveAllTo: (name) => `Guardar todo en ${name}`,
  saveHere: (count) => `Guardar ${plural(count, 'resultado', 'resultados')} aquí`,
  saved: (name) => `Guardado en ${name}.`,
  folders: 'Carpetas',
  noFolders: 'En esta carpeta no hay otras carpetas.',
  saveFailed: 'No se pudieron guardar los resultados en el almacenamiento.',
}

export default words
