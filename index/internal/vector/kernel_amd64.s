// The inner loops of the scan. Each computes exactly what its plain form in
// kernel.go computes; TestKernels and FuzzKernels hold them together.

#include "textflag.h"

// dotsAVX2 and dotsVNNI take a tile: four groups of 16 slots, one from each of
// four streams. See groupRows for how codes lie.
//
// DI dst, SI codes of group 0, R8 distance to the group of the next stream, DX
// digits, CX words left.

// A ymm register holds the words of 8 slots, so a tile takes two rounds of four
// registers. The products of a word's low or high codes are added in pairs to 16
// bits, of which 8 may be added up: 8*2*15*127 is less than 2^15. So four words
// make a step.
//
// func dotsAVX2(dst *[64]int32, codes, next *uint8, digits *int8, words int, offset int32)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-52
	MOVQ         dst+0(FP), DI
	MOVQ         codes+8(FP), SI
	MOVQ         next+16(FP), R10
	MOVQ         words+32(FP), R12
	MOVQ         stream+40(FP), R8
	MOVL         offset+48(FP), AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	MOVL         $0x0f0f0f0f, AX
	VMOVD        AX, X14
	VPBROADCASTD X14, Y14
	MOVL         $0x00010001, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13
	SUBQ         SI, R10         // distance to the next tile
	MOVQ         $8, R11         // rounds of 8 slots

round:
	MOVQ  digits+24(FP), DX
	MOVQ  SI, BX
	MOVQ  R12, CX
	VPXOR Y0, Y0, Y0

step:
	VMOVDQU      (BX), Y4
	VMOVDQU      64(BX), Y5
	VMOVDQU      128(BX), Y6
	VMOVDQU      192(BX), Y7
	VPSRLW       $4, Y4, Y8
	VPSRLW       $4, Y5, Y9
	VPSRLW       $4, Y6, Y10
	VPSRLW       $4, Y7, Y11
	VPAND        Y14, Y4, Y4
	VPAND        Y14, Y5, Y5
	VPAND        Y14, Y6, Y6
	VPAND        Y14, Y7, Y7
	VPAND        Y14, Y8, Y8
	VPAND        Y14, Y9, Y9
	VPAND        Y14, Y10, Y10
	VPAND        Y14, Y11, Y11
	VPBROADCASTD (DX), Y1
	VPBROADCASTD 4(DX), Y2
	VPBROADCASTD 8(DX), Y3
	VPBROADCASTD 16(DX), Y12
	VPMADDUBSW   Y1, Y4, Y4
	VPMADDUBSW   Y2, Y8, Y8
	VPMADDUBSW   Y3, Y5, Y5
	VPMADDUBSW   Y12, Y6, Y6
	VPBROADCASTD 12(DX), Y1
	VPBROADCASTD 20(DX), Y2
	VPBROADCASTD 24(DX), Y3
	VPBROADCASTD 28(DX), Y12
	VPMADDUBSW   Y1, Y9, Y9
	VPMADDUBSW   Y2, Y10, Y10
	VPMADDUBSW   Y3, Y7, Y7
	VPMADDUBSW   Y12, Y11, Y11
	VPADDW       Y4, Y8, Y4
	VPADDW       Y5, Y9, Y5
	VPADDW       Y6, Y10, Y6
	VPADDW       Y7, Y11, Y7
	PREFETCHT0   (BX)(R10*1)
	PREFETCHT0   64(BX)(R10*1)
	VPADDW       Y4, Y5, Y4
	VPADDW       Y6, Y7, Y6
	VPADDW       Y4, Y6, Y4
	VPMADDWD     Y13, Y4, Y4
	VPADDD       Y4, Y0, Y0
	ADDQ         $256, BX
	ADDQ         $32, DX
	SUBQ         $4, CX
	JNZ          step

	VPSUBD  Y15, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, DI

	// Every second round takes the second half of each 64 bytes, and fetches the
	// second two lines of four ahead.
	ADDQ  $32, SI
	ADDQ  $96, R10
	TESTQ $1, R11
	JZ    same
	LEAQ  -64(SI)(R8*1), SI
	SUBQ  $192, R10

same:
	DECQ R11
	JNZ  round
	VZEROUPPER
	RET

// The high codes are left 16 times too large in their bytes, which are unsigned,
// and the sum is put right at the end.
//
// func dotsVNNI(dst *[64]int32, codes, next *uint8, digits *int8, words int, offset int32)
TEXT ·dotsVNNI(SB), NOSPLIT, $0-52
	MOVQ         dst+0(FP), DI
	MOVQ         codes+8(FP), SI
	MOVQ         next+16(FP), R10
	MOVQ         digits+24(FP), DX
	MOVQ         words+32(FP), CX
	MOVQ         stream+40(FP), R8
	MOVL         offset+48(FP), AX
	VPBROADCASTD AX, Z31
	MOVL         $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z30
	LEAQ         (R8)(R8*2), R9
	VPXORD       Z16, Z16, Z16
	VPXORD       Z17, Z17, Z17
	VPXORD       Z18, Z18, Z18
	VPXORD       Z19, Z19, Z19
	VPXORD       Z20, Z20, Z20
	VPXORD       Z21, Z21, Z21
	VPXORD       Z22, Z22, Z22
	VPXORD       Z23, Z23, Z23

word:
	VMOVDQU64    (SI), Z0
	VMOVDQU64    (SI)(R8*1), Z1
	VMOVDQU64    (SI)(R8*2), Z2
	VMOVDQU64    (SI)(R9*1), Z3
	VPBROADCASTD (DX), Z8
	VPBROADCASTD 4(DX), Z9
	PREFETCHT0   (R10)
	PREFETCHT0   (R10)(R8*1)
	PREFETCHT0   (R10)(R8*2)
	PREFETCHT0   (R10)(R9*1)
	VPANDD       Z30, Z0, Z4
	VPANDD       Z30, Z1, Z5
	VPANDD       Z30, Z2, Z6
	VPANDD       Z30, Z3, Z7
	VPXORD       Z4, Z0, Z0
	VPXORD       Z5, Z1, Z1
	VPXORD       Z6, Z2, Z2
	VPXORD       Z7, Z3, Z3
	VPDPBUSD     Z8, Z4, Z16
	VPDPBUSD     Z8, Z5, Z17
	VPDPBUSD     Z8, Z6, Z18
	VPDPBUSD     Z8, Z7, Z19
	VPDPBUSD     Z9, Z0, Z20
	VPDPBUSD     Z9, Z1, Z21
	VPDPBUSD     Z9, Z2, Z22
	VPDPBUSD     Z9, Z3, Z23
	ADDQ         $64, SI
	ADDQ         $64, R10
	ADDQ         $8, DX
	DECQ         CX
	JNZ          word

	VPSRAD    $4, Z20, Z20
	VPSRAD    $4, Z21, Z21
	VPSRAD    $4, Z22, Z22
	VPSRAD    $4, Z23, Z23
	VPADDD    Z16, Z20, Z20
	VPADDD    Z17, Z21, Z21
	VPADDD    Z18, Z22, Z22
	VPADDD    Z19, Z23, Z23
	VPSUBD    Z31, Z20, Z20
	VPSUBD    Z31, Z21, Z21
	VPSUBD    Z31, Z22, Z22
	VPSUBD    Z31, Z23, Z23
	VMOVDQU64 Z20, (DI)
	VMOVDQU64 Z21, 64(DI)
	VMOVDQU64 Z22, 128(DI)
	VMOVDQU64 Z23, 192(DI)
	VZEROUPPER
	RET

// No fused multiply-add: it would round differently from the Go form.
//
// func overAVX2(dots *int32, scale, rest *float32, step, onRest, floor float32) uint64
TEXT ·overAVX2(SB), NOSPLIT, $0-48
	MOVQ         dots+0(FP), SI
	MOVQ         scale+8(FP), DX
	MOVQ         rest+16(FP), BX
	VBROADCASTSS step+24(FP), Y12
	VBROADCASTSS onRest+28(FP), Y13
	VBROADCASTSS floor+32(FP), Y14
	XORQ         DI, DI
	MOVQ         $8, CX // rounds of 8 slots

next:
	VCVTDQ2PS (SI), Y0
	VMULPS    (DX), Y0, Y0
	VMULPS    Y12, Y0, Y0
	VMULPS    (BX), Y13, Y1
	VADDPS    Y1, Y0, Y0
	VCMPPS    $0x1D, Y14, Y0, Y0 // greater or equal, ordered, quiet
	VMOVMSKPS Y0, AX
	ORQ       AX, DI
	RORQ      $8, DI             // after 8 rounds the first is lowest again
	ADDQ      $32, SI
	ADDQ      $32, DX
	ADDQ      $32, BX
	DECQ      CX
	JNZ       next
	MOVQ      DI, ret+40(FP)
	VZEROUPPER
	RET

// The same in 16 lanes.
//
// func overVNNI(dots *int32, scale, rest *float32, step, onRest, floor float32) uint64
TEXT ·overVNNI(SB), NOSPLIT, $0-48
	MOVQ         dots+0(FP), SI
	MOVQ         scale+8(FP), DX
	MOVQ         rest+16(FP), BX
	VBROADCASTSS step+24(FP), Z12
	VBROADCASTSS onRest+28(FP), Z13
	VBROADCASTSS floor+32(FP), Z14
	VCVTDQ2PS    (SI), Z0
	VCVTDQ2PS    64(SI), Z1
	VCVTDQ2PS    128(SI), Z2
	VCVTDQ2PS    192(SI), Z3
	VMULPS       (DX), Z0, Z0
	VMULPS       64(DX), Z1, Z1
	VMULPS       128(DX), Z2, Z2
	VMULPS       192(DX), Z3, Z3
	VMULPS       Z12, Z0, Z0
	VMULPS       Z12, Z1, Z1
	VMULPS       Z12, Z2, Z2
	VMULPS       Z12, Z3, Z3
	VMULPS       (BX), Z13, Z4
	VMULPS       64(BX), Z13, Z5
	VMULPS       128(BX), Z13, Z6
	VMULPS       192(BX), Z13, Z7
	VADDPS       Z4, Z0, Z0
	VADDPS       Z5, Z1, Z1
	VADDPS       Z6, Z2, Z2
	VADDPS       Z7, Z3, Z3
	VCMPPS       $0x1D, Z14, Z0, K1
	VCMPPS       $0x1D, Z14, Z1, K2
	VCMPPS       $0x1D, Z14, Z2, K3
	VCMPPS       $0x1D, Z14, Z3, K4
	KMOVW        K1, AX
	KMOVW        K2, CX
	KMOVW        K3, DI
	KMOVW        K4, R8
	SHLQ         $16, CX
	SHLQ         $32, DI
	SHLQ         $48, R8
	ORQ          CX, AX
	ORQ          R8, DI
	ORQ          DI, AX
	MOVQ         AX, ret+40(FP)
	VZEROUPPER
	RET

// Lane j of the four registers has the products of the places that are j modulo
// 16. The products are exact in float64, so fusing changes no bit.
//
// func dotFMA(sums *[16]float64, x, y *float32, rounds int)
TEXT ·dotFMA(SB), NOSPLIT, $0-32
	MOVQ   sums+0(FP), DI
	MOVQ   x+8(FP), SI
	MOVQ   y+16(FP), DX
	MOVQ   rounds+24(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

sixteen:
	VCVTPS2PD   (SI), Y4
	VCVTPS2PD   (DX), Y8
	VCVTPS2PD   16(SI), Y5
	VCVTPS2PD   16(DX), Y9
	VCVTPS2PD   32(SI), Y6
	VCVTPS2PD   32(DX), Y10
	VCVTPS2PD   48(SI), Y7
	VCVTPS2PD   48(DX), Y11
	VFMADD231PD Y4, Y8, Y0
	VFMADD231PD Y5, Y9, Y1
	VFMADD231PD Y6, Y10, Y2
	VFMADD231PD Y7, Y11, Y3
	ADDQ        $64, SI
	ADDQ        $64, DX
	DECQ        CX
	JNZ         sixteen
	VMOVUPD     Y0, (DI)
	VMOVUPD     Y1, 32(DI)
	VMOVUPD     Y2, 64(DI)
	VMOVUPD     Y3, 96(DI)
	VZEROUPPER
	RET

// func fetchLines(x unsafe.Pointer, lines int)
TEXT ·fetchLines(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), SI
	MOVQ lines+8(FP), CX

line:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	DECQ       CX
	JNZ        line
	RET

// Z0 and Z1 have the same lanes in the same order as Y0 to Y3 of dotFMA.
//
// func dotVNNI(sums *[16]float64, x, y *float32, rounds int)
TEXT ·dotVNNI(SB), NOSPLIT, $0-32
	MOVQ   sums+0(FP), DI
	MOVQ   x+8(FP), SI
	MOVQ   y+16(FP), DX
	MOVQ   rounds+24(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1

sixteen:
	VCVTPS2PD   (SI), Z4
	VCVTPS2PD   (DX), Z8
	VCVTPS2PD   32(SI), Z5
	VCVTPS2PD   32(DX), Z9
	VFMADD231PD Z4, Z8, Z0
	VFMADD231PD Z5, Z9, Z1
	ADDQ        $64, SI
	ADDQ        $64, DX
	DECQ        CX
	JNZ         sixteen
	VMOVUPD     Z0, (DI)
	VMOVUPD     Z1, 64(DI)
	VZEROUPPER
	RET

// func fineVNNI(codes *uint8, digits *int8, rounds int) int32
TEXT ·fineVNNI(SB), NOSPLIT, $0-28
	MOVQ         codes+0(FP), SI
	MOVQ         digits+8(FP), DX
	MOVQ         rounds+16(FP), CX
	MOVL         $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z6
	VPXORD       Z4, Z4, Z4
	VPXORD       Z5, Z5, Z5

round:
	VMOVDQU64 (SI), Z0
	VMOVDQU64 (DX), Z2
	VMOVDQU64 64(DX), Z3
	VPANDD    Z6, Z0, Z1
	VPSRLW    $4, Z0, Z0
	VPANDD    Z6, Z0, Z0
	VPDPBUSD  Z2, Z1, Z4
	VPDPBUSD  Z3, Z0, Z5
	ADDQ      $64, SI
	ADDQ      $128, DX
	DECQ      CX
	JNZ       round

	VPADDD        Z5, Z4, Z4
	VEXTRACTI64X4 $1, Z4, Y5
	VPADDD        Y5, Y4, Y4
	VEXTRACTI128  $1, Y4, X5
	VPADDD        X5, X4, X4
	VPSHUFD       $0x4e, X4, X5
	VPADDD        X5, X4, X4
	VPSHUFD       $0xb1, X4, X5
	VPADDD        X5, X4, X4
	VMOVD         X4, AX
	MOVL          AX, ret+24(FP)
	VZEROUPPER
	RET

// The pairs of products are added to 16 bits, which two of them cannot overflow,
// and then to 32.
//
// func fineAVX2(codes *uint8, digits *int8, rounds int) int32
TEXT ·fineAVX2(SB), NOSPLIT, $0-28
	MOVQ         codes+0(FP), SI
	MOVQ         digits+8(FP), DX
	MOVQ         rounds+16(FP), CX
	MOVL         $0x0f0f0f0f, AX
	VMOVD        AX, X6
	VPBROADCASTD X6, Y6
	MOVL         $0x00010001, AX
	VMOVD        AX, X7
	VPBROADCASTD X7, Y7
	VPXOR        Y4, Y4, Y4

round:
	VMOVDQU    (SI), Y0
	VMOVDQU    32(SI), Y1
	VPSRLW     $4, Y0, Y2
	VPSRLW     $4, Y1, Y3
	VPAND      Y6, Y0, Y0
	VPAND      Y6, Y1, Y1
	VPAND      Y6, Y2, Y2
	VPAND      Y6, Y3, Y3
	VPMADDUBSW (DX), Y0, Y0
	VPMADDUBSW 32(DX), Y1, Y1
	VPMADDUBSW 64(DX), Y2, Y2
	VPMADDUBSW 96(DX), Y3, Y3
	VPADDW     Y1, Y0, Y0
	VPADDW     Y3, Y2, Y2
	VPADDW     Y2, Y0, Y0
	VPMADDWD   Y7, Y0, Y0
	VPADDD     Y0, Y4, Y4
	ADDQ       $64, SI
	ADDQ       $128, DX
	DECQ       CX
	JNZ        round

	VEXTRACTI128 $1, Y4, X5
	VPADDD       X5, X4, X4
	VPSHUFD      $0x4e, X4, X5
	VPADDD       X5, X4, X4
	VPSHUFD      $0xb1, X4, X5
	VPADDD       X5, X4, X4
	VMOVD        X4, AX
	MOVL         AX, ret+24(FP)
	VZEROUPPER
	RET

// Eight bytes of the codes and of the fine codes make 16 numbers: the lower halves eight
// of the round's first 64, the upper ones eight of its second 64. Whole numbers of 4 bits
// times a float32 are exact in float64, so fusing changes no bit.
//
// SI fine codes, DX codes, DI row, Y11 scale, Y12 fine scale.
//
// func unpackFMA(dst *float32, both *uint8, scale, fineScale float32, rounds int)
TEXT ·unpackFMA(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         both+8(FP), SI
	VBROADCASTSS scale+16(FP), X11
	VBROADCASTSS fineScale+20(FP), X12
	VCVTPS2PD    X11, Y11
	VCVTPS2PD    X12, Y12
	MOVQ         rounds+24(FP), CX
	MOVQ         CX, DX
	SHLQ         $6, DX
	ADDQ         SI, DX
	MOVL         $8, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13
	MOVL         $15, AX
	VMOVD        AX, X14
	VPBROADCASTD X14, Y14

round:
	MOVQ $8, R8

eight:
	VPMOVZXBD    (DX), Y0
	VPMOVZXBD    (SI), Y1
	VPSRLD       $4, Y0, Y2
	VPSRLD       $4, Y1, Y3
	VPAND        Y14, Y0, Y0
	VPAND        Y14, Y1, Y1
	VPSUBD       Y13, Y0, Y0
	VPSUBD       Y13, Y1, Y1
	VPSUBD       Y13, Y2, Y2
	VPSUBD       Y13, Y3, Y3
	VEXTRACTI128 $1, Y0, X4
	VEXTRACTI128 $1, Y1, X5
	VEXTRACTI128 $1, Y2, X6
	VEXTRACTI128 $1, Y3, X7
	VCVTDQ2PD    X0, Y0
	VCVTDQ2PD    X1, Y1
	VCVTDQ2PD    X2, Y2
	VCVTDQ2PD    X3, Y3
	VCVTDQ2PD    X4, Y4
	VCVTDQ2PD    X5, Y5
	VCVTDQ2PD    X6, Y6
	VCVTDQ2PD    X7, Y7
	VMULPD       Y11, Y0, Y0
	VMULPD       Y11, Y2, Y2
	VMULPD       Y11, Y4, Y4
	VMULPD       Y11, Y6, Y6
	VFMADD231PD  Y12, Y1, Y0
	VFMADD231PD  Y12, Y3, Y2
	VFMADD231PD  Y12, Y5, Y4
	VFMADD231PD  Y12, Y7, Y6
	VCVTPD2PSY   Y0, X0
	VCVTPD2PSY   Y2, X2
	VCVTPD2PSY   Y4, X4
	VCVTPD2PSY   Y6, X6
	VMOVUPS      X0, (DI)
	VMOVUPS      X4, 16(DI)
	VMOVUPS      X2, 256(DI)
	VMOVUPS      X6, 272(DI)
	ADDQ         $8, SI
	ADDQ         $8, DX
	ADDQ         $32, DI
	DECQ         R8
	JNZ          eight

	ADDQ $256, DI
	DECQ CX
	JNZ  round
	VZEROUPPER
	RET
