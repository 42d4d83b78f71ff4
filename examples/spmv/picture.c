#include "picture.h"

#include <math.h>
#include <stdio.h>

#define SIDE 480 /* of the matrix and of the curve */
#define LEFT 40
#define TOP 60
#define RIGHT (LEFT + SIDE + 140) /* where the curve begins */

/* Colours of threads go round the circle, as far apart as they can. */
static int hue_of(uint32_t thread, uint32_t threads) { return (int)(thread * 360.0 / threads); }

/* Runs of cells of one colour become one rectangle. */
static void draw_matrix(FILE *file, const struct picture *p) {
  double cell = (double)SIDE / CANVAS, per_cell = p->rows < CANVAS ? 1 : (double)p->rows / CANVAS;
  fprintf(file, "<rect x='%d' y='%d' width='%d' height='%d' fill='#fff' stroke='#888'/>\n", LEFT, TOP, SIDE, SIDE);
  for (int y = 0; y < CANVAS; y++)
    for (int x = 0, end; x < CANVAS; x = end) {
      const struct cell *row = &p->cells[y * CANVAS], *c = &row[x];
      int light = 75 - (int)(35 * fmin(1, c->count / per_cell));
      for (end = x + 1; end < CANVAS && row[end].thread == c->thread && row[end].count == c->count; end++) {}
      if (c->count)
        fprintf(file, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='hsl(%d,85%%,%d%%)'/>\n", LEFT + x * cell,
                TOP + y * cell, (end - x) * cell, cell, hue_of(c->thread, p->threads), light);
    }
  for (uint32_t t = 0; t < p->threads && t < 32; t++) {
    int y = TOP + (int)t * 15;
    fprintf(file, "<rect x='%d' y='%d' width='10' height='10' fill='hsl(%d,85%%,45%%)'/>"
                  "<text x='%d' y='%d'>thread %u</text>\n",
            LEFT + SIDE + 8, y, hue_of(t, p->threads), LEFT + SIDE + 22, y + 9, (unsigned)t);
  }
}

static double exponent(double residual) { return log10(fmax(residual, 1e-300)); }

static void draw_curve(FILE *file, const struct picture *p) {
  double low = 0, high = -300, x_each = p->steps > 1 ? (double)SIDE / (double)(p->steps - 1) : 0, y_each;
  for (size_t i = 0; i < p->steps; i++) {
    low = fmin(low, floor(exponent(p->residuals[i])));
    high = fmax(high, ceil(exponent(p->residuals[i])));
  }
  if (high <= low) high = low + 1;
  y_each = SIDE / (high - low);
  fprintf(file, "<rect x='%d' y='%d' width='%d' height='%d' fill='#fff' stroke='#888'/>\n", RIGHT, TOP, SIDE, SIDE);
  for (double e = low; e <= high; e += ceil((high - low) / 8))
    fprintf(file, "<path d='M%d %.1fh%d' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>1e%d</text>\n", RIGHT,
            TOP + (high - e) * y_each, SIDE, RIGHT - 5, TOP + (high - e) * y_each + 4, (int)e);
  fprintf(file, "<polyline fill='none' stroke='#c22' stroke-width='2' points='");
  for (size_t i = 0; i < p->steps; i++)
    fprintf(file, "%.1f,%.1f ", RIGHT + (double)i * x_each, TOP + (high - exponent(p->residuals[i])) * y_each);
  fprintf(file, "'/>\n<text x='%d' y='%d'>residual, steps 1 to %zu</text>\n", RIGHT, TOP + SIDE + 18, p->steps);
}

int picture_write(const struct picture *p, const char *path) {
  FILE *file = fopen(path, "w");
  int bad;
  if (!file) return -1;
  fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n"
                "<rect width='100%%' height='100%%' fill='#f8f8f8'/>\n<text x='%d' y='35' font-size='16'>%s</text>\n",
          RIGHT + SIDE + 30, TOP + SIDE + 40, LEFT, p->title);
  draw_matrix(file, p);
  draw_curve(file, p);
  fprintf(file, "</svg>\n");
  bad = ferror(file);
  return fclose(file) != 0 || bad ? -1 : 0;
}
