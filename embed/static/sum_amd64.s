// The inner loops of table.embed and of a comparison. They compute what addBlock and
// plainDots compute, which TestFastSums and TestFastDots hold them to.

#include "textflag.h"

// The rows of a bag lie all over the table: they are asked for together, before
// the first is needed.
//
// func fetchRows(table *byte, rows *sumRow, n, lines int)
TEXT ·fetchRows(SB), NOSPLIT, $0-32
	MOVQ table+0(FP), SI
	MOVQ rows+8(FP), DX
	MOVQ n+16(FP), CX
	MOVQ lines+24(FP), R8

row:
	MOVQ (DX), BX
	ADDQ SI, BX
	MOVQ R8, AX

line:
	PREFETCHT0 (BX)
	ADDQ       $64, BX
	DECQ       AX
	JNZ        line
	ADDQ       $16, DX
	DECQ       CX
	JNZ        row
	RET

// Y0 to Y7 hold the sums of 64 columns. The bias is added first: 128 times the sum of
// the q, as if 128 had been added to each byte. What a product of signed numbers lacks
// is a multiple of 2^32.
//
// func addRows(sums *uint32, table *byte, rows *sumRow, n int, bias uint32)
TEXT ·addRows(SB), NOSPLIT, $0-36
	MOVQ         sums+0(FP), DI
	MOVQ         table+8(FP), SI
	MOVQ         rows+16(FP), DX
	MOVQ         n+24(FP), CX
	MOVL         bias+32(FP), AX
	VMOVD        AX, X0
	VPBROADCASTD X0, Y0
	VMOVDQA      Y0, Y1
	VMOVDQA      Y0, Y2
	VMOVDQA      Y0, Y3
	VMOVDQA      Y0, Y4
	VMOVDQA      Y0, Y5
	VMOVDQA      Y0, Y6
	VMOVDQA      Y0, Y7

row:
	MOVQ         (DX), AX
	VPBROADCASTD 8(DX), Y8
	VPMOVSXBD    (SI)(AX*1), Y9
	VPMOVSXBD    8(SI)(AX*1), Y10
	VPMOVSXBD    16(SI)(AX*1), Y11
	VPMOVSXBD    24(SI)(AX*1), Y12
	VPMULLD      Y8, Y9, Y9
	VPMULLD      Y8, Y10, Y10
	VPMULLD      Y8, Y11, Y11
	VPMULLD      Y8, Y12, Y12
	VPADDD       Y9, Y0, Y0
	VPADDD       Y10, Y1, Y1
	VPADDD       Y11, Y2, Y2
	VPADDD       Y12, Y3, Y3
	VPMOVSXBD    32(SI)(AX*1), Y9
	VPMOVSXBD    40(SI)(AX*1), Y10
	VPMOVSXBD    48(SI)(AX*1), Y11
	VPMOVSXBD    56(SI)(AX*1), Y12
	VPMULLD      Y8, Y9, Y9
	VPMULLD      Y8, Y10, Y10
	VPMULLD      Y8, Y11, Y11
	VPMULLD      Y8, Y12, Y12
	VPADDD       Y9, Y4, Y4
	VPADDD       Y10, Y5, Y5
	VPADDD       Y11, Y6, Y6
	VPADDD       Y12, Y7, Y7
	ADDQ         $16, DX
	DECQ         CX
	JNZ          row

	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	VMOVDQU Y4, 128(DI)
	VMOVDQU Y5, 160(DI)
	VMOVDQU Y6, 192(DI)
	VMOVDQU Y7, 224(DI)
	VZEROUPPER
	RET

// Y0 to Y3 hold the sums of four words of the question, Y4 those of the row with itself.
//
// func dotsAVX2(dst *int32, row *byte, asked *int16, groups, steps int) (square int32)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-44
	MOVQ dst+0(FP), DI
	MOVQ row+8(FP), SI
	MOVQ asked+16(FP), DX
	MOVQ groups+24(FP), CX
	MOVQ steps+32(FP), R8

group:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	MOVQ  SI, BX
	MOVQ  R8, AX

step:
	VPMOVSXBW (BX), Y5
	VPMADDWD  (DX), Y5, Y6
	VPMADDWD  32(DX), Y5, Y7
	VPMADDWD  64(DX), Y5, Y8
	VPMADDWD  96(DX), Y5, Y9
	VPMADDWD  Y5, Y5, Y5
	VPADDD    Y6, Y0, Y0
	VPADDD    Y7, Y1, Y1
	VPADDD    Y8, Y2, Y2
	VPADDD    Y9, Y3, Y3
	VPADDD    Y5, Y4, Y4
	ADDQ      $16, BX
	ADDQ      $128, DX
	DECQ      AX
	JNZ       step

	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $16, DI
	DECQ         CX
	JNZ          group

	VEXTRACTI128 $1, Y4, X5
	VPADDD       X5, X4, X4
	VPHADDD      X4, X4, X4
	VPHADDD      X4, X4, X4
	VMOVD        X4, AX
	MOVL         AX, square+40(FP)
	VZEROUPPER
	RET
