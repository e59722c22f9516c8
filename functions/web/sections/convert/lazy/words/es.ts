import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  options: 'Opciones',
  optionsFailed: (reason) => `No se pudieron cargar las opciones. ${reason}`,
  presets: 'Ajustes guardados',
  noPreset: 'Ninguno',
  savePreset: 'Guardar los ajustes',
  presetName: 'Nombre de los ajustes',
  save: 'Guardar',
  deletePreset: 'Eliminar los ajustes guardados',
  copyLink: 'Copiar enlace a estos ajustes',
  copyResultLink: 'Copiar enlace',
  share: 'Compartir',
  qrCode: 'Código QR',
  qrCodeOf: (name) => `Código QR con el enlace a ${name}`,
  linkValidUntil: (time) =>
    `Cualquiera que tenga el enlace puede descargar el archivo hasta esta fecha: ${time}.`,
  sameWithOther: 'Hacer lo mismo con otro archivo',
  linkCopied: 'Enlace copiado.',
  reset: 'Restablecer',
  asLastTime: 'Como la última vez',
  combineOptions: 'Tamaño de página, márgenes y orden',
  order: 'Orden de las páginas',
  orders: {
    list: 'Como en la lista',
    name: 'Por nombre',
    oldest: 'Primero las más antiguas',
    newest: 'Primero las más recientes',
  },
  optionsOf: (counted) => `Opciones para ${counted}`,
  table: 'Archivos',
  name: 'Nombre',
  size: 'Tamaño',
  state: 'Estado',
  actions: 'Acciones',
  details: 'Detalles',
  detailsOf: (name) => `Detalles de ${name}`,
  beforeAfter: 'Antes y después',
  before: 'Antes',
  after: 'Después',
  fileNames: 'Nombres de los archivos en el ZIP',
  patternHint:
    '{name} es el nombre anterior, {n} un número, {date} la fecha de hoy y {ext} el tipo de archivo.',
  zoom: 'Zoom',
  zoomToFit: 'Ajustar',
  quality: 'Probar otra calidad',
  noPreview: 'Sin vista previa para este tipo de archivo. Descargue el archivo para verlo.',
  previewFailed: 'No se pudo cargar la vista previa.',
}

export default words
