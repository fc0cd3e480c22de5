/** `other` less `one` with its sign, in the words of `format`; a dash where one of them is not known. */
export function difference(one: number | null, other: number | null, format: (value: number) => string): string {
  if (one === null || other === null) return "–";
  const size = format(Math.abs(other - one));
  if (other === one) return size;
  return other > one ? `+${size}` : `−${size}`;
}
